import { redirect } from 'react-router';

/** Most come for a tenant. */
export const loader = () => redirect('/tenants');
