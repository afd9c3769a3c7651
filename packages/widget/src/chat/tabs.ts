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

  /** Holds the lock until it is taken over or the tab is done. */
  const hold = () =>
    new Promise<void>((release) => {
      if (gone.signal.aborted) return release();
      isTaking = false;
      tenure = new AbortController();
      gone.signal.addEventListener('abort', () => release());
      lead(tenure.signal);
    });
  const lost = () => {
    tenure?.abort();
    tenure = undefined;
    queue();
  };
  /** In line, for when the one that leads is closed. */
  const queue = () => {
    if (isInLine || gone.signal.aborted) return;
    isInLine = true;
    navigator.locks
      .request(name, { signal: gone.signal }, () => {
        isInLine = false;
        return hold();
      })
      .catch(lost);
  };

  return {
    /** Takes over, wherever it was led from: the tab in front of the visitor is the one that is surely awake. */
    take() {
      if (tenure || isTaking || gone.signal.aborted) return;
      isTaking = true;
      if (navigator.locks) navigator.locks.request(name, { steal: true }, hold).catch(lost);
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
