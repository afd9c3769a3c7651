import type { Registry } from 'prom-client';
import { createHistogram } from '../metrics/histogram.ts';

/** With limits at the thresholds of the SLOs. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 0.5, 1, 2, 2.5, 5, 10];

export const createRequestDurations = (registry: Registry) =>
  createHistogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response, or to the first one of a stream.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets,
    registry,
  }).create;
