/**
 * Lets all calls within a second share one check.
 *
 * Anyone may call `/health/ready`, and it needs a query. It has no rate limit, because a load balancer that gets 429 would
 * take a healthy process out of service. This protects the database instead: a flood costs one query per second. Kubernetes
 * probes every 10 seconds by default, so a result that is a second old delays nothing.
 */
export function shareCheck<T>(check: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined;
  return () => {
    if (latest) return latest;
    latest = check();
    // From its start, not its end: a check that hangs must not keep the next one from noticing that all is well again.
    setTimeout(() => (latest = undefined), 1_000).unref();
    return latest;
  };
}
