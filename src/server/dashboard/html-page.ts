/** Pages without script: the way into the dashboard, and the page for a phone. */
import { escapeHtml } from '../../base/escape-html.ts';

/** Its rules are in a file of their own, because a page may contain no style. */
export const PLAIN_STYLE_PATH = '/plain.css';

export const PLAIN_STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.25rem; } h2 { font-size: 1.05rem; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 6px; }
dt { font-weight: 600; } dd { margin: 0 0 .5rem; }
form { margin: 1rem 0; padding: 1rem; border: 1px solid #8886; border-radius: 6px; }
label { display: block; margin-bottom: .75rem; }
input, textarea { display: block; box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
button { font: inherit; padding: .6rem 1.2rem; min-height: 44px; margin-right: .5rem; }
code { overflow-wrap: anywhere; } li { margin-bottom: .25rem; }
`;

export type PlainPage = {
  readonly title: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Lines of HTML. Every text from outside has gone through `escapeHtml`. */
  readonly body: readonly string[];
};

export function htmlPage({ title, status = 200, headers = {}, body }: PlainPage): Response {
  const text = [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<link rel="stylesheet" href="${PLAIN_STYLE_PATH}">`,
    `</head><body><main>`,
    ...body,
    '</main></body></html>',
    '',
  ].join('\n');
  return new Response(text, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  });
}
