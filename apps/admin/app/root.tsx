import '@mantine/core/styles.css';
import '@parley/portal-kit/base.css';
import { Document } from '@parley/portal-kit/ui';
import type { ReactNode } from 'react';
import { Outlet } from 'react-router';
import { ErrorPage } from './parts/error-page.tsx';

export const meta = () => [{ title: 'Parley admin' }];

export const Layout = ({ children }: { children: ReactNode }) => <Document colour="#334155">{children}</Document>;

export default function Root() {
  return <Outlet />;
}

export const ErrorBoundary = ErrorPage;
