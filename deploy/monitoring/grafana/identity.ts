import { quantiles, rateOf, type Dashboard } from './panels.ts';

const http = 'http_server_request_duration_seconds';
const signIn = 'http_route=~"(/admin)?/auth/.*|/pools/.*"';

export const identity: Dashboard = {
  id: 'identity',
  title: 'identity',
  about: 'Sign-in, rate limits and the portals.',
  rows: [
    {
      title: 'Sign-in',
      panels: [
        {
          title: 'Sign-ins',
          about: 'By outcome. Many throttled ones: someone is testing passwords.',
          unit: 'ops',
          queries: { '{{outcome}}': rateOf('parley_sign_ins_total', 'outcome') },
        },
        {
          title: 'By method',
          about: 'Password, passkey or an external provider.',
          unit: 'ops',
          queries: { '{{method}}': rateOf('parley_sign_ins_total', 'method') },
        },
        {
          title: 'Duration',
          about: 'Password hashing takes CPU on purpose.',
          unit: 's',
          queries: quantiles('parley_sign_in_duration_seconds'),
          limit: 2.5,
        },
        {
          title: 'Sign-in requests',
          about: 'By status.',
          unit: 'reqps',
          queries: { '{{http_response_status_code}}': rateOf(`${http}_count{${signIn}}`, 'http_response_status_code') },
        },
      ],
    },
    {
      title: 'Limits',
      panels: [
        {
          title: 'Rate limited',
          about: 'By limit.',
          unit: 'reqps',
          queries: { '{{limit}}': `${rateOf('parley_rate_limited_requests_total', 'limit')} or vector(0)` },
        },
        {
          title: 'Refused credentials',
          about: 'Responses with 401 and 403, by route.',
          unit: 'reqps',
          queries: {
            '{{http_response_status_code}} {{http_route}}': `${rateOf(`${http}_count{http_response_status_code=~"401|403"}`, 'http_response_status_code, http_route')} or vector(0)`,
          },
        },
      ],
    },
    {
      title: 'Portals',
      panels: [
        {
          title: 'Pages',
          about: 'Rendered per second.',
          unit: 'reqps',
          queries: { '{{role}}': rateOf('parley_portal_render_duration_seconds_count', 'role') },
        },
        {
          title: 'Render time',
          about: 'Of both portals.',
          unit: 's',
          queries: quantiles('parley_portal_render_duration_seconds', '', 'role'),
        },
        {
          title: 'Errors',
          about: 'Pages that failed.',
          unit: 'reqps',
          queries: { '{{role}}': rateOf('parley_portal_errors_total', 'role') },
        },
      ],
    },
  ],
};
