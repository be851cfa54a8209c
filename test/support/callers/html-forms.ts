interface Button {
  text: string;
  name: string | undefined;
  value: string;
}

interface Field {
  name: string;
  type: string;
  value: string;
}

export interface Form {
  action: string;
  method: 'get' | 'post';
  fields: Field[];
  buttons: Button[];
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
  '#x2F': '/',
};

function decode(text: string): string {
  return text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

function attributesOf(tag: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const match of tag.matchAll(/\s([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)) {
    attributes.set((match[1] ?? '').toLowerCase(), decode(match[2] ?? match[3] ?? match[4] ?? ''));
  }
  return attributes;
}

function fieldsOf(inner: string): Field[] {
  return [...inner.matchAll(/<input\b[^>]*>/gi)].flatMap(([tag]) => {
    const attributes = attributesOf(tag);
    const [name, type] = [attributes.get('name'), (attributes.get('type') ?? 'text').toLowerCase()];
    const unchecked = /^(checkbox|radio)$/.test(type) && !attributes.has('checked');
    if (name === undefined || type === 'submit' || unchecked) return [];
    return [{ name, type, value: attributes.get('value') ?? (type === 'checkbox' ? 'on' : '') }];
  });
}

function buttonsOf(inner: string): Button[] {
  const written = [...inner.matchAll(/<button\b[^>]*>([\s\S]*?)<\/button>/gi)].map(([tag, text]) => ({
    tag,
    text,
  }));
  const inputs = [...inner.matchAll(/<input\b[^>]*type=["']?submit[^>]*>/gi)].map(([tag]) => ({
    tag,
    text: undefined,
  }));
  return [...written, ...inputs].map(({ tag, text }) => {
    const attributes = attributesOf(tag.slice(0, tag.indexOf('>') + 1));
    const value = attributes.get('value') ?? '';
    return {
      text: decode(text ?? value)
        .replace(/<[^>]*>/g, ' ')
        .trim(),
      name: attributes.get('name'),
      value,
    };
  });
}

/** The forms of a page, as a browser would see them; `pageUrl` resolves their addresses. */
export function formsOf(html: string, pageUrl: string): Form[] {
  return [...html.matchAll(/<form\b[^>]*>([\s\S]*?)<\/form>/gi)].map(([whole, inner = '']) => {
    const attributes = attributesOf(whole.slice(0, whole.indexOf('>') + 1));
    return {
      action: new URL(attributes.get('action') || pageUrl, pageUrl).href,
      method: attributes.get('method')?.toLowerCase() === 'post' ? 'post' : 'get',
      fields: fieldsOf(inner),
      buttons: buttonsOf(inner),
    };
  });
}

/** The address of the first link whose words match. */
export function linkOf(html: string, pageUrl: string, wanted: RegExp): string | undefined {
  for (const [whole, text = ''] of html.matchAll(/<a\b[^>]*>([\s\S]*?)<\/a>/gi)) {
    const href = attributesOf(whole.slice(0, whole.indexOf('>') + 1)).get('href');
    if (href !== undefined && wanted.test(decode(text))) return new URL(href, pageUrl).href;
  }
  return undefined;
}
