import { redirect } from 'react-router';

/** Tenants are the most used page. */
export const loader = () => redirect('/tenants');
