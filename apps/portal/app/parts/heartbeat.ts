const heartbeatMs = 60_000;
/** Without input for so long, the member may have left with the portal open, so they must not get conversations. */
export const idleAfterMs = 15 * 60_000;
/** Also what a dialog keeps to itself. */
const options = { passive: true, capture: true };
const inputs = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'focus'];

/** Beats every minute while there is input, and immediately when there is some again. Returns how to stop it. */
export function startHeartbeat(target: EventTarget, beat: () => void): () => void {
  let inputAt = Date.now();
  const isIdle = () => Date.now() - inputAt > idleAfterMs;
  const noteInput = () => {
    const isBack = isIdle();
    inputAt = Date.now();
    if (isBack) beat();
  };
  const timer = setInterval(() => {
    if (!isIdle()) beat();
  }, heartbeatMs);
  for (const type of inputs) target.addEventListener(type, noteInput, options);
  beat();
  return () => {
    clearInterval(timer);
    for (const type of inputs) target.removeEventListener(type, noteInput, options);
  };
}
