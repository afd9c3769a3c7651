import { vi } from 'vitest';

// A file that is isolated shares the packages that are loaded, and nothing of ours: it starts its own database and API.
vi.resetModules();
