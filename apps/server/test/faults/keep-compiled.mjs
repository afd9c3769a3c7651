// Loaded into every child: Node keeps compiled code when a process ends, which one that is killed never does.
import { flushCompileCache } from 'node:module';

setTimeout(flushCompileCache, 2_000).unref();
