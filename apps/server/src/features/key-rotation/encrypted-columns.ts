import type { EncryptedColumn } from '../../platform/encrypted-columns.ts';
import { encryptedApiKeys } from '../api-keys/index.ts';
import { encryptedModelKeys } from '../models/index.ts';
import { encryptedOfWebhooks } from '../webhooks/index.ts';

/** All encrypted columns of tenants. A test finds columns that are missing here. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  encryptedApiKeys,
  encryptedModelKeys,
  ...encryptedOfWebhooks,
];
