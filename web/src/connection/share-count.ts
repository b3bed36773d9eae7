/**
 * The number of open questions in the titles of all tabs. A browser has six connections to one address, so of the hidden
 * tabs only one keeps its stream, and it tells the others.
 */
type Shared = {
  /** Whether this tab should follow the owner. */
  readonly onNeeded: (isNeeded: boolean) => void;
  readonly count: () => number;
  readonly onChange: (listener: () => void) => void;
};

export function shareCount({ onNeeded, count, onChange }: Shared): void {
  const others = new BroadcastChannel('supervisor-open-questions');
  let isFollowing = true;
  let release: (() => void) | undefined;
  onChange(() => {
    if (!isFollowing) return;
    showCount(count());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin: ours
    others.postMessage(count());
  });
  others.addEventListener('message', ({ data }) => {
    if (!isFollowing && typeof data === 'number') showCount(data);
  });
  const follow = (isNeeded: boolean): void => {
    if (isNeeded === isFollowing) return;
    isFollowing = isNeeded;
    onNeeded(isNeeded);
  };
  const look = (): void => {
    if (document.visibilityState === 'visible') {
      release?.();
      isFollowing = true;
      // Also the tab that has followed for all of them: now it follows its own screen too.
      onNeeded(true);
      return;
    }
    follow(false);
    // The first hidden tab gets the lock, and holds it until it is visible again or closed.
    void navigator.locks.request('supervisor-title', async () => {
      if (document.visibilityState === 'visible') return;
      follow(true);
      await new Promise<void>((resolve) => (release = resolve));
      release = undefined;
    });
  };
  document.addEventListener('visibilitychange', look);
  // Many tabs are opened in the background, and are hidden from the beginning.
  if (document.visibilityState === 'hidden') look();
}

function showCount(count: number): void {
  const title = document.title.replace(/^\(\d+\) /, '');
  document.title = count === 0 ? title : `(${count}) ${title}`;
}

/** The title of a screen. The number before it stays. */
export function setTitle(title: string): void {
  const number = /^\(\d+\) /.exec(document.title)?.[0] ?? '';
  document.title = `${number}${title}`;
}
