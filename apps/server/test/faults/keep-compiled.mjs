// Loaded into every child: Node writes the compile cache on exit, which a killed process never does.
import { flushCompileCache } from 'node:module';

setTimeout(flushCompileCache, 2_000).unref();
