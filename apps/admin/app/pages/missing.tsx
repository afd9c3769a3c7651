import { data } from 'react-router';
import { ErrorPage } from '../parts/error-page.tsx';

export function loader() {
  throw data({ message: 'Check the URL, or the page may have been removed.' }, { status: 404 });
}

export default function NotFound() {
  return null;
}

export const ErrorBoundary = ErrorPage;
