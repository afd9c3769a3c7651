interface Embed {
  src: string;
  publicKey: string;
  botId: string;
}

/** The script tag. */
export const tag = ({ src, publicKey, botId }: Embed) =>
  `<script src="${src}" data-public-key="${publicKey}" data-bot-id="${botId}" async></script>`;

/** Installation instructions by platform. */
export const platforms: { id: string; label: string; instructions: string; code(embed: Embed): string }[] = [
  {
    id: 'html',
    label: 'HTML',
    instructions: 'Paste it before </body> on every page, or into a template that all pages share.',
    code: tag,
  },
  {
    id: 'wordpress',
    label: 'WordPress',
    instructions:
      'Add it to functions.php in your child theme, or paste only the <script> line into the footer field of a header and footer code plugin.',
    code: (embed) => `add_action('wp_footer', function () { ?>\n${tag(embed)}\n<?php });`,
  },
  {
    id: 'shopify',
    label: 'Shopify',
    instructions:
      'Go to Online Store → Themes → ⋯ → Edit code → layout/theme.liquid. Paste it before </body> and save.',
    code: tag,
  },
  {
    id: 'gtm',
    label: 'Google Tag Manager',
    instructions:
      'Create a Custom HTML tag with the “All Pages” trigger, then publish the container. This version builds the script tag in code because Tag Manager removes attributes it doesn’t know.',
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
    instructions:
      'In Next.js, add this to app/layout. In React without Next.js, paste the HTML line into index.html. The chat stays in place as visitors move between pages.',
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
