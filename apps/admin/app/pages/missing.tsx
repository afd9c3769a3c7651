import { data } from 'react-router';
import { ErrorPage } from '../parts/error-page.tsx';

export function loader() {
  throw data({ message: 'The address may be mistyped, or what was here is gone.' }, { status: 404 });
}

export default function Missing() {
  return null;
}

export const ErrorBoundary = ErrorPage;
