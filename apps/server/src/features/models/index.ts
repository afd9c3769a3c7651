// What other features may use. Everything else here is private.
export { openModel, sealedModelKeys } from './models.service.ts';
export { missingModels } from './models.store.ts';
