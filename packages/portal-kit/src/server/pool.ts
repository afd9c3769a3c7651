import type { Routes } from '../service/client.ts';

/** Both pools have the same routes under different prefixes. */
const routes = {
  customer: {
    signIn: '/auth/login',
    signInWithCode: '/auth/login/mfa',
    refresh: '/auth/refresh',
    signOut: '/auth/logout',
    cookieSeconds: 30 * 86_400,
  },
  admin: {
    signIn: '/admin/auth/login',
    signInWithCode: '/admin/auth/login/mfa',
    refresh: '/admin/auth/refresh',
    signOut: '/admin/auth/logout',
    cookieSeconds: 12 * 3_600,
  },
} as const satisfies Record<string, Record<string, keyof Routes | number>>;

export type PoolName = keyof typeof routes;
export const poolRoutes = (pool: PoolName) => routes[pool];
