import { vi } from 'vitest';

// Files of one worker share the packages that are loaded, which takes longer than most tests, and nothing of ours: each
// begins with its own harness, database and API.
vi.resetModules();
