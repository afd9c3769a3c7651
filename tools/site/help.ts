import { html, raw, type Html } from './html.ts';
import { embed, page, type Shop } from './layout.ts';

/** A help centre and a blog, to add as knowledge by one URL. */
const articles = {
  '/help/': {
    title: 'Help',
    sections: { 'How can we help?': 'Everything about delivery, returns and repairs.' },
  },
  '/help/delivery': {
    title: 'Delivery',
    sections: {
      'How long it takes': 'Delivery within Germany takes two to four working days and costs €4.90.',
      'Complete bikes': 'Complete bikes are delivered by a carrier, who calls you to arrange a day.',
    },
  },
  '/help/returns': {
    title: 'Returns',
    sections: {
      'Sending something back': 'You can send anything back within 30 days, without giving a reason.',
      'Your refund': 'We refund the full price within five working days of receiving the package.',
    },
  },
  '/blog/autumn-tour': {
    title: 'Our autumn tour',
    sections: {
      'Along the Elbe': 'Forty riders, three punctures and one lost glove: how we rode from Hamburg to Dresden.',
    },
  },
  '/blog/belt-or-chain': {
    title: 'Belt or chain?',
    sections: {
      'What we ride': 'A belt is quiet and clean, and it costs more. Half of our workshop still rides with a chain.',
    },
  },
} satisfies Record<string, { title: string; sections: Record<string, string> }>;

export function helpPage(path: string, shop: Shop): Html | undefined {
  if (!Object.hasOwn(articles, path)) return undefined;
  const { title, sections } = articles[path as keyof typeof articles];
  return page({
    path,
    title,
    embeds: [embed(shop, shop)],
    main: html`<h1>${title}</h1>
      ${Object.entries(sections).map(
        ([heading, text]) =>
          html`<section>
            <h2>${heading}</h2>
            <p>${text}</p>
          </section>`,
      )}
      <p><a href="/help/">Help</a> · <a href="/help/configurator">Bike configurator</a></p>`,
  });
}

/** A page that a crawler without JavaScript can't read. */
export const configuratorPage: Html = raw(`<!doctype html>
<html lang="en"><head><title>Configurator</title></head>
<body><noscript>Enable JavaScript to configure your bike.</noscript><div id="root"></div>
<script>document.getElementById('root').textContent = 'Choose a frame, a size and a colour.';</script></body></html>
`);

export const robotsText = 'User-agent: *\nDisallow: /reports\nDisallow: /session\n';

export const sitemapXml = (url: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Object.keys(
    articles,
  )
    .map((path) => `<url><loc>${url}${path}</loc></url>`)
    .join('')}</urlset>`;
