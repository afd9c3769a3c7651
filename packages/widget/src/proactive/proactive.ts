import { applyTheme } from '../chat/theme.ts';
import { localeOf } from '../chat/text.ts';
import { h, icon, styled } from '../shared/dom.ts';
import type { BotControls, Shell } from '../shared/shell.ts';
import type { ProactiveRule } from '../shared/wire.ts';
import css from './proactive.css';
import { openRecord } from './record.ts';

// Loaded only for bots with proactive messages: shows at most one per page view, next to the button. In a single-page
// application, each path is a page.

const checkEveryMs = 500;

/** How far down the page the visitor is. A page that fits on the screen was seen as a whole. */
const scrolledPercent = () => {
  const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement ?? document.documentElement;
  return scrollHeight <= clientHeight ? 100 : (100 * scrollTop) / (scrollHeight - clientHeight);
};

export function start(shell: () => Shell, bot: BotControls): void {
  const { root, setup, botId, locale } = shell();
  const launcher = root.querySelector('button')!;
  const record = openRecord(botId);
  /** A returning visitor may have an open conversation: wait until the chat has said so. */
  let isTalking = record.hasChatted();
  let [path, startedAt, isShown] = [location.pathname, Date.now(), false];
  let tip: HTMLElement | undefined;
  const removeTip = () => tip?.remove();

  const isMet = ({ id, when, maxPerVisitor }: ProactiveRule) =>
    record.count(id) < maxPerVisitor &&
    (!when.urlContains || location.href.includes(when.urlContains)) &&
    Date.now() - startedAt >= (when.secondsOnPage ?? 0) * 1_000 &&
    scrolledPercent() >= (when.scrollPercent ?? 0) &&
    (when.returning === undefined || when.returning === record.isReturning());
  const isHidden = () => document.hidden || !launcher.getClientRects().length || launcher.ariaExpanded === 'true';

  const check = () => {
    if (!launcher.isConnected) return clearInterval(timer); // the bot was removed from the page
    if (path !== location.pathname) {
      [path, startedAt, isShown] = [location.pathname, Date.now(), false];
      removeTip();
    }
    // Without storage nothing is counted, so nothing is shown either.
    if (isShown || isTalking || isHidden() || shell().isConsentNeeded || !record.visit()) return;
    const rule = setup.proactive!.find(isMet);
    if (!rule || !record.add(rule.id)) return;
    isShown = true;
    show(rule.message);
  };
  const timer = setInterval(check, checkEveryMs);

  function show(message: string) {
    const open = () => {
      bot.set({ greeting: message }); // so that the chat continues where the message started
      bot.open();
    };
    const language = localeOf(setup, locale);
    const label = setup.texts['dismiss'] ?? BUILD.dismiss[language]!;
    const dismiss = () => {
      removeTip();
      launcher.focus();
    };
    const region = h('div', {
      class: 'tip',
      part: 'proactive',
      role: 'status',
      dir: language === 'ar' ? 'rtl' : 'ltr',
      keydown: ({ key }: KeyboardEvent) => key === 'Escape' && dismiss(),
    });
    tip = region;
    applyTheme(region, setup.appearance);
    root.append(region);
    // Screen readers announce what is added to a region that exists.
    requestAnimationFrame(() =>
      region.append(
        h('button', { type: 'button', dir: 'auto', click: open }, message),
        h(
          'button',
          { type: 'button', class: 'x', 'aria-label': label, title: label, click: dismiss },
          icon('M6 6l12 12M18 6 6 18'),
        ),
      ),
    );
  }

  styled(root, css);
  bot.on('open', removeTip);
  bot.on('conversation', (detail) => {
    isTalking = (detail as { isOpen: boolean }).isOpen;
    if (isTalking) removeTip();
  });
}
