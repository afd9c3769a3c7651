// What other features may use. Everything else here is private.
export { openModel, encryptedModelKeys } from './models.service.ts';
export { missingModels } from './models.store.ts';
