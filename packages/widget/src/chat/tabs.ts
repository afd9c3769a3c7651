interface Parts {
  name: string;
  /** This tab now does what is done once for all tabs, until the signal ends it. */
  lead(signal: AbortSignal): void;
  hear(news: unknown): void;
}

/** Several tabs with one chat: the one that was used last speaks with the service, and tells the others what it hears. */
export function createTabs({ name, lead, hear }: Parts) {
  const channel = new BroadcastChannel(name);
  const gone = new AbortController();
  let tenure: AbortController | undefined;
  let [isInLine, isTaking] = [false, false];
  channel.onmessage = ({ data }) => hear(data);

  /** Asks for the lock, and holds it until it is taken over or the tab is done. */
  const request = (options: LockOptions) => {
    let own: AbortController | undefined;
    const hold = () =>
      new Promise<void>((release) => {
        isInLine = isTaking = false;
        if (gone.signal.aborted) return release();
        tenure?.abort(); // it was our own turn in line that we took over
        tenure = own = new AbortController();
        gone.signal.addEventListener('abort', () => release());
        lead(own.signal);
      });
    navigator.locks.request(name, options, hold).catch(() => {
      own?.abort();
      if (tenure === own) tenure = undefined;
      queue();
    });
  };
  /** In line, for when the one that leads is closed. */
  const queue = () => {
    if (isInLine || tenure || gone.signal.aborted) return;
    isInLine = true;
    request({ signal: gone.signal });
  };

  return {
    /** Takes over, wherever it was led from: the tab in front of the visitor is the one that is surely awake. */
    take() {
      if (tenure || isTaking || gone.signal.aborted) return;
      isTaking = true;
      if (navigator.locks) request({ steal: true });
      else {
        tenure = new AbortController();
        lead(tenure.signal);
      }
    },
    /** Leads once nobody else does. */
    wait: () => {
      if (navigator.locks && !tenure && !isTaking) queue();
    },
    tell: (news: unknown) => channel.postMessage(news),
    leave() {
      tenure?.abort();
      gone.abort();
      channel.close();
    },
  };
}
