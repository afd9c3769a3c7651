import { all, type Fault } from '../fault.ts';
import { post, request } from './repeat.ts';

// Emails, sign-in and rate limits.

export const access: readonly Fault[] = [
  {
    name: 'emails-failing',
    cause: 'The mail server rejects all recipients with 550, and more people forget their password',
    fires: ['ParleyEmailsFailing warning'],
    limitSeconds: 330, // an account gets one a minute, and there are few
    start: ({ mail }, traffic) => {
      mail.refuseWith('550 5.1.1 User unknown');
      return all(() => mail.refuseWith(undefined), traffic.add('emails', 0.5));
    },
  },
  {
    name: 'emails-late',
    cause: 'The mail server postpones all emails with 451',
    fires: [],
    lingers: ['ParleyEmailsLate warning'], // until the next attempt, minutes later
    isSlow: true,
    limitSeconds: 800,
    start: ({ mail }) => {
      mail.refuseWith('451 4.7.1 Try again later');
      return () => mail.refuseWith(undefined);
    },
  },
  {
    name: 'sign-ins-throttled',
    cause: 'Four wrong passwords a second for one account, from one IP address',
    fires: ['ParleySignInsThrottled warning'],
    consequences: ['ParleyRateLimited warning'],
    limitSeconds: 180,
    start: ({ target }) =>
      request(4, `${target.apiUrl}/auth/login`, () =>
        post(
          { email: target.tenants[0]?.customer?.email, password: 'not the password' },
          { 'x-forwarded-for': '10.9.9.9' },
        ),
      ),
  },
  {
    name: 'rate-limited',
    cause: 'Five sessions a second from one IP address, ten times its limit',
    fires: ['ParleyRateLimited warning'],
    limitSeconds: 240,
    start: ({ target, demo: { publicKey, botId } }) =>
      request(5, `${target.apiUrl}/widget/sessions/anonymous`, () =>
        post({ publicKey, botId, visitorId: 'flood' }, { origin: target.siteUrl, 'x-forwarded-for': '10.9.9.8' }),
      ),
  },
];
