// Writes the API client that the SDK and the portals share, from the OpenAPI document and the event catalogue. Each type is
// written once: what a tenant's backend may use into the SDK, what only platform admins may use with the portals
// (docs/adr/0044-one-client.md).
import { join } from 'node:path';
import { readDocument, root } from './client/document.ts';
import { eventsText } from './client/events.ts';
import { operationsText } from './client/operations.ts';
import { routesText } from './client/routes.ts';
import { pascal, splitTypes, typesOf } from './client/types.ts';
import { writeGenerated } from './write.ts';

const sdk = join(root, 'packages/sdk/src/generated');
const portals = join(root, 'packages/portal-kit/src/service/generated');
const sdkTypes = '../../../../sdk/src/generated/types.ts'; // seen from the portals' folder

const { document, covered, publicOperations, operatorOperations, publicSchemas, operatorSchemas } = readDocument();

const publicTypes = [
  ...publicSchemas,
  ...publicOperations.map(({ operationId }) => `${pascal(operationId)}Data`),
  ...publicOperations.map(({ operationId }) => `${pascal(operationId)}Response`),
];
const types = splitTypes(typesOf(covered), publicTypes, sdkTypes);
writeGenerated(join(sdk, 'types.ts'), types.reached);
writeGenerated(join(portals, 'operator-types.ts'), types.others);

// `/webhooks/inbound` needs a signature instead of a key: packages/sdk/src/inbound.ts
const methods = publicOperations.filter(({ path }) => path !== '/webhooks/inbound');
writeGenerated(join(sdk, 'operations.ts'), await operationsText(document, methods));
writeGenerated(join(sdk, 'events.ts'), eventsText(document));

// A portal calls neither on behalf of a tenant's backend.
const portalOperations = publicOperations.filter(({ path }) => !/^\/(widget\/|webhooks\/inbound$)/.test(path));
writeGenerated(
  join(portals, 'routes.ts'),
  routesText(
    { operations: portalOperations, schemas: publicSchemas },
    { operations: operatorOperations, schemas: operatorSchemas },
    { sdk: sdkTypes, operator: './operator-types.ts' },
  ),
);
process.exit(); // open connections of the routes would keep it running
