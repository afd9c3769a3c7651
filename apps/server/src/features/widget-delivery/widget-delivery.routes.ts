import type { Config } from '../../platform/config.ts';
import { fileRoute, pageRoute, publicRoute } from '../../platform/http/route.ts';
import type { Log } from '../../platform/telemetry.ts';
import { availabilityAt } from '../business-hours/index.ts';
import { admit, type AdmissionDeps } from '../widget-sessions/index.ts';
import { framePage, errorPage } from './frame-page.ts';
import * as contract from './widget-delivery.contract.ts';
import { readWidget } from './widget-files.ts';

const tag = 'Widget';
const limit = { name: 'widget-setup', points: 300, seconds: 60 };

interface DeliveryDeps extends AdmissionDeps {
  config: Pick<Config, 'CDN_URL' | 'PUBLIC_URL' | 'WIDGET_DIR'>;
  log: Log;
}

export function widgetDeliveryRoutes(deps: DeliveryDeps) {
  const { CDN_URL: cdnUrl, PUBLIC_URL, WIDGET_DIR } = deps.config;
  const apiUrl = PUBLIC_URL.replace(/\/$/, '');
  const widget = readWidget(WIDGET_DIR, deps.log);

  const setupFor = async (request: Parameters<typeof admit>[1], source: Parameters<typeof admit>[2]) => {
    const { bot, config } = await admit(deps, request, source);
    const { retentionDays, allowedOrigins, businessHours } = bot;
    const { proactive, ...rest } = config;
    // Parsed here, because the frame page embeds it without response validation, and the content also holds instructions.
    const setup = contract.WidgetSetup.parse({
      ...rest,
      ...(proactive?.length && { proactive }), // pages with an empty list would load the code for it
      ...(businessHours && { availability: availabilityAt(businessHours, new Date()) }),
      apiUrl,
      retentionDays,
    });
    return { setup, allowedOrigins };
  };

  return [
    fileRoute({
      method: 'GET',
      path: '/cdn/:file',
      name: 'getWidgetFile',
      tag,
      summary: 'Load a widget file',
      description:
        '`chatbot-widget.js` is the latest version, cached for five minutes. `chatbot-widget.1.0.0.js` never changes, for pages that pin it by its hash. `manifest.json` lists the hashes.',
      params: contract.FileName,
      handler: ({ params }) => widget.find(params.file),
    }),
    publicRoute({
      method: 'GET',
      path: '/cdn/config/:botId',
      name: 'getWidgetSetup',
      tag,
      summary: 'Get the widget’s configuration',
      description:
        'For browsers, before a session is opened. Requires an `Origin` that the bot allows. Cached for a minute, per origin, and for up to four more while it is loaded again.',
      permission: 'public',
      limit,
      // Together five minutes: that old may the availability be that a widget shows.
      cache: { seconds: 60, staleSeconds: 240, varyBy: 'origin' },
      params: contract.BotId,
      query: contract.SetupQuery,
      response: contract.WidgetSetup,
      handler: async ({ params, query }, requestInfo) =>
        (await setupFor({ publicKey: query.key, botId: params.botId }, requestInfo)).setup,
    }),
    pageRoute({
      method: 'GET',
      path: '/cdn/frame/:botId',
      name: 'showWidgetFrame',
      tag,
      summary: 'Load the chat in an iframe',
      description: 'For `data-isolation="iframe"`. Browsers only show it on pages that the bot allows.',
      limit,
      params: contract.BotId,
      query: contract.FrameQuery,
      handler: async (_pageRequest, { params, query }) => {
        const request = { publicKey: query.key, botId: params.botId };
        const { setup, allowedOrigins } = await setupFor(request, 'framed');
        return framePage({ setup, script: widget.frameScript(query.v), cdnUrl, allowedOrigins });
      },
      showError: errorPage,
    }),
  ];
}
