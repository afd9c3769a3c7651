interface Embed {
  src: string;
  publicKey: string;
  botId: string;
}

/** The line itself. */
export const tag = ({ src, publicKey, botId }: Embed) =>
  `<script src="${src}" data-public-key="${publicKey}" data-bot-id="${botId}" async></script>`;

/** How the line gets into a page, for the places where people have theirs. */
export const platforms: { id: string; label: string; how: string; code(embed: Embed): string }[] = [
  {
    id: 'html',
    label: 'HTML',
    how: 'Paste it before </body> on every page, or into the template all pages share.',
    code: tag,
  },
  {
    id: 'wordpress',
    label: 'WordPress',
    how: 'Add it to functions.php of your child theme, or paste the <script> line alone into the footer field of a plugin for header and footer code.',
    code: (embed) => `add_action('wp_footer', function () { ?>\n${tag(embed)}\n<?php });`,
  },
  {
    id: 'shopify',
    label: 'Shopify',
    how: 'Online Store → Themes → ⋯ → Edit code → layout/theme.liquid: paste it before </body>, then save.',
    code: tag,
  },
  {
    id: 'gtm',
    label: 'Google Tag Manager',
    how: 'New tag → Custom HTML, with the trigger “All Pages”. Then publish the container. The script is made by hand there, since Tag Manager drops attributes it does not know.',
    code: ({ src, publicKey, botId }) =>
      [
        '<script>',
        "  var chat = document.createElement('script');",
        `  chat.src = '${src}';`,
        '  chat.async = true;',
        `  chat.setAttribute('data-public-key', '${publicKey}');`,
        `  chat.setAttribute('data-bot-id', '${botId}');`,
        '  document.body.appendChild(chat);',
        '</script>',
      ].join('\n'),
  },
  {
    id: 'react',
    label: 'React, Next.js',
    how: 'In Next.js, add this to app/layout. In React without it, paste the line for HTML into index.html: the chat stays while people move between pages.',
    code: ({ src, publicKey, botId }) =>
      [
        "import Script from 'next/script';",
        '',
        '<Script',
        `  src="${src}"`,
        `  data-public-key="${publicKey}"`,
        `  data-bot-id="${botId}"`,
        '  strategy="afterInteractive"',
        '/>',
      ].join('\n'),
  },
];
