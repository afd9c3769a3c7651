// What other features may use. Everything else here is private.
export { encryptedModelKeys, listModels, openModel } from './models.service.ts';
export { missingModels } from './models.store.ts';
