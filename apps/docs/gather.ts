// Writes src/generated/facts.json: what the pages show of the service, taken from its code. The build runs it first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plans } from '../server/src/features/entitlements/plans.ts';
import { eventTypes } from '../server/src/features/webhooks/catalogue.ts';
import { reasonsOf, serverSources } from './src/errors/reasons.ts';
import { ratesOf } from './src/reference/rates.ts';

await import('../server/src/features/index.ts'); // its features define their events
const folder = join(import.meta.dirname, 'src/generated');
mkdirSync(folder, { recursive: true });
const sources = serverSources();
const facts = { events: eventTypes().data, reasons: reasonsOf(sources), rates: ratesOf(sources), plans };
writeFileSync(join(folder, 'facts.json'), JSON.stringify(facts, null, 1));
