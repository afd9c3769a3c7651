import { favicon } from '@parley/portal-kit/ui';

// How a tab in the background says that someone is waiting.

const tile = '#0F766E';

/** The number before the title, and a dot on the icon. */
export function showWaiting(waiting: number): void {
  const title = document.title.replace(/^\(\d+\+?\) /, '');
  document.title = waiting > 0 ? `(${waiting > 99 ? '99+' : waiting}) ${title}` : title;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const href = favicon(tile, { hasDot: waiting > 0 });
  if (icon && icon.href !== href) icon.href = href;
}

export const canNotify = () => 'Notification' in globalThis && Notification.permission === 'granted';
/** Whether the member allows it. Browsers ask only once. */
export const askToNotify = async () =>
  'Notification' in globalThis && (await Notification.requestPermission()) === 'granted';
export const canAskToNotify = () => 'Notification' in globalThis && Notification.permission === 'default';

export function notifyWaiting(person: { name: string; text: string; conversationId: string }, open: () => void): void {
  try {
    // Same tag: the windows of one browser show it once.
    const notification = new Notification(`${person.name} is waiting`, {
      body: person.text,
      tag: person.conversationId,
    });
    notification.addEventListener('click', () => {
      window.focus();
      open();
      notification.close();
    });
  } catch {
    // Chrome on Android has the constructor and throws. The count and the sound remain.
  }
}

/** Two short notes. Browsers allow it only after the page was clicked. */
export function playSound(): void {
  const audio = new AudioContext();
  [660, 880].forEach((frequency, n) => {
    const start = audio.currentTime + n * 0.15;
    const [oscillator, volume] = [audio.createOscillator(), audio.createGain()];
    oscillator.frequency.value = frequency;
    volume.gain.setValueAtTime(0.08, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.14);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(start);
    oscillator.stop(start + 0.15);
  });
  setTimeout(() => void audio.close(), 1_000);
}
