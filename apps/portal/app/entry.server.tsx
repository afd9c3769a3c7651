export { default, handleError } from '@parley/portal-kit/entry-server';
