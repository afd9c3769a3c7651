import type { Product } from './product.ts';
import type { Traffic } from './traffic.ts';

/** Ends what was caused. */
export type Remedy = () => unknown;

/** Something that goes wrong, caused for real. Alerts are named with their severity. */
export interface Fault {
  name: string;
  /** What is done, for the table. */
  cause: string;
  /** All of them must fire, and end with the fault. */
  fires: readonly string[];
  /** These must fire too. They last longer than the drill waits for their end. */
  lingers?: readonly string[];
  /** These may fire as well: what the fault leads to. So may what Alertmanager silences because of its cause. */
  consequences?: readonly string[];
  /** How long it may take until all of them fire, where it is more than two minutes. */
  limitSeconds?: number;
  /** It takes so long because of a threshold in minutes. Such faults are caused together. */
  isSlow?: boolean;
  /** What this machine lacks for it. */
  lacks?: (product: Product) => string | undefined;
  /** Before the time counts. */
  prepare?: (product: Product) => Promise<unknown>;
  start: (product: Product, traffic: Traffic) => Promise<Remedy> | Remedy;
}

/** Ends several things at the same time. */
export const all =
  (...remedies: Remedy[]): Remedy =>
  () =>
    Promise.all(remedies.map((remedy) => remedy()));

export const alertsOf = ({ fires, lingers = [] }: Fault): string[] => [...fires, ...lingers];
