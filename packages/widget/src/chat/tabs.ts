interface TabsDeps {
  name: string;
  /** This tab is now the leader, until the signal aborts. */
  lead(signal: AbortSignal): void;
  onTabMessage(message: unknown): void;
}

/** Leader election between tabs: the tab used last talks to the API and forwards events to the others. */
export function createTabs({ name, lead, onTabMessage }: TabsDeps) {
  const channel = new BroadcastChannel(name);
  const closed = new AbortController();
  let leadership: AbortController | undefined;
  let [isQueued, isStealing] = [false, false];
  channel.onmessage = ({ data }) => onTabMessage(data);

  /** Requests the lock, and holds it until it is stolen or the tab leaves. */
  const request = (options: LockOptions) => {
    let own: AbortController | undefined;
    const hold = () =>
      new Promise<void>((release) => {
        isQueued = isStealing = false;
        if (closed.signal.aborted) return release();
        leadership?.abort(); // we stole the lock while our own queued request was granted
        leadership = own = new AbortController();
        closed.signal.addEventListener('abort', () => release());
        lead(own.signal);
      });
    navigator.locks.request(name, options, hold).catch(() => {
      own?.abort();
      if (leadership === own) leadership = undefined;
      waitForLead();
    });
  };
  /** Queues for the lock, for when the leader is closed. */
  const waitForLead = () => {
    if (isQueued || leadership || closed.signal.aborted) return;
    isQueued = true;
    request({ signal: closed.signal });
  };

  return {
    /** Steals the lead: only the visible tab is certainly not throttled. */
    takeLead() {
      if (leadership || isStealing || closed.signal.aborted) return;
      isStealing = true;
      if (navigator.locks) request({ steal: true });
      else {
        leadership = new AbortController();
        lead(leadership.signal);
      }
    },
    /** Leads when no other tab does. */
    wait: () => {
      if (navigator.locks && !leadership && !isStealing) waitForLead();
    },
    postToTabs: (message: unknown) => channel.postMessage(message),
    leave() {
      leadership?.abort();
      closed.abort();
      channel.close();
    },
  };
}
