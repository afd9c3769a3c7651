// Loaded into a server before its own code (`node --import`): makes each request take SLOWED percent longer, to show that
// `npm run bench -- --quick` notices. With 0 it only measures, so that the peer bears the same cost.
import { subscribe } from 'node:diagnostics_channel';
import { ServerResponse, type IncomingMessage } from 'node:http';

const share = Number(process.env['SLOWED']) / 100;
const sampleSize = 100;

/** When a request started, how many others were waiting then, and how much time had been wasted here. */
const starts = new WeakMap<ServerResponse, { at: number; inFlight: number; wasted: number }>();
let [inFlight, wasted] = [0, 0];

/** CPU time of a request in this process, without what was wasted. */
let [cpuEach, finished, lastCpu, lastWasted] = [0, 0, 0, 0];
function sampleCpu() {
  if (++finished % sampleSize > 0) return;
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1_000;
  if (lastCpu > 0) cpuEach = (cpu - lastCpu - (wasted - lastWasted)) / sampleSize; // before, the process was starting
  [lastCpu, lastWasted] = [cpu, wasted];
}

subscribe('http.server.request.start', (message) => {
  const { response } = message as { request: IncomingMessage; response: ServerResponse };
  inFlight++;
  starts.set(response, { at: performance.now(), inFlight, wasted });
});

const end = ServerResponse.prototype.end as (...args: unknown[]) => ServerResponse;
ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
  const start = starts.get(this);
  if (start) {
    starts.delete(this);
    sampleCpu();
    // What a request takes: its CPU time, and if no other was in flight, the time that it waited.
    const isAlone = start.inFlight === 1 && inFlight === 1;
    const elapsed = performance.now() - start.at - (wasted - start.wasted);
    waste(share * Math.max(isAlone ? elapsed : 0, cpuEach));
    inFlight--;
  }
  return end.apply(this, args);
} as typeof ServerResponse.prototype.end;

function waste(ms: number) {
  if (ms <= 0) return;
  const until = performance.now() + ms;
  while (performance.now() < until);
  wasted += ms;
}
