import { data } from 'react-router';
import { ErrorPage } from '../parts/error-page.tsx';

export function loader() {
  throw data({ message: 'Check the URL. The page may have been moved or deleted.' }, { status: 404 });
}

export default function NotFound() {
  return null;
}

export const ErrorBoundary = ErrorPage;
