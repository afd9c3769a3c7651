/**
 * A stopping worker waits STOP_GRACE_SECONDS (20 s by default) for running invocations. So each one ends within that time: it
 * starts no unit of work later than `startMs`, and no unit takes longer than `unitMs`. What remains continues in a call to itself.
 */
export const startMs = 4_000;

/** One request to a server that isn't ours, including the time to read its response; or reading one document. */
export const unitMs = 15_000;
