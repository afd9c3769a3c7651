import { hydrate } from '@parley/portal-kit/entry-client';

hydrate();
