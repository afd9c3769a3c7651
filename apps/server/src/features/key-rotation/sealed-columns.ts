import type { SealedColumn } from '../../platform/sealed-columns.ts';
import { sealedApiKeys } from '../api-keys/index.ts';
import { sealedModelKeys } from '../models/index.ts';
import { sealedOfWebhooks } from '../webhooks/index.ts';

/** Everything that tenants keep sealed: one line a feature. A test finds a column that is missing here. */
export const sealedColumns: readonly SealedColumn[] = [sealedApiKeys, sealedModelKeys, ...sealedOfWebhooks];
