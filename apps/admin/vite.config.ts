import { portalVite } from '@parley/portal-kit/vite';

export default portalVite(import.meta.dirname);
