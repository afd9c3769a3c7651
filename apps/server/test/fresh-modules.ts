import { vi } from 'vitest';

// Isolated test files share loaded packages but none of our modules, so each starts its own database and API.
vi.resetModules();
