// The public interface of this feature.
export { assertSupportAccess } from './support-access.service.ts';
