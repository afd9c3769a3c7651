import type { EncryptedColumn } from '../../platform/encrypted-columns.ts';
import { encryptedApiKeys } from '../api-keys/index.ts';
import { encryptedModelKeys } from '../models/index.ts';
import { encryptedOfWebhooks } from '../webhooks/index.ts';

/** Everything that tenants keep encrypted: one line a feature. A test finds a column that is missing here. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  encryptedApiKeys,
  encryptedModelKeys,
  ...encryptedOfWebhooks,
];
