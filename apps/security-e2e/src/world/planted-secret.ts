/** A secret that was put somewhere, and what it is called when it turns up elsewhere. */
export interface PlantedSecret {
  readonly name: string;
  readonly value: string;
}

/** Bytes of base64 that depend on what comes before or after the secret; those in between do not. */
const BASE64_GROUP = 4;
const HEX = /^(0x)?([0-9a-fA-F]{2})+$/;

/** Where a text holds a secret: its name and the form that was found. */
export interface Finding {
  readonly secret: string;
  readonly form: string;
  /** What stands around it, without the secret. */
  readonly around: string;
}

/**
 * Looks for secrets in a text: as they are, in any case if they are hex, and as hex, base64, base64url or percent
 * encoding, also where base64 encodes more than the secret.
 */
export function findSecrets(text: string, secrets: readonly PlantedSecret[]): Finding[] {
  const lower = text.toLowerCase();
  return secrets.flatMap(({ name, value }) =>
    formsOf(value).flatMap(([form, needle, anyCase]) => {
      const at = anyCase ? lower.indexOf(needle.toLowerCase()) : text.indexOf(needle);
      if (at < 0) return [];
      const around = `${text.slice(Math.max(0, at - 120), at)}<${name}>${text.slice(at + needle.length, at + needle.length + 40)}`;
      return [{ secret: name, form, around }];
    }),
  );
}

type Form = readonly [name: string, needle: string, anyCase: boolean];

function formsOf(value: string): Form[] {
  const isHex = HEX.test(value);
  const plain = isHex ? value.replace(/^0x/, '') : value;
  const forms: Form[] = [['plain', plain, isHex], ...encodingsOf(Buffer.from(value, 'utf8'), '')];
  if (isHex)
    forms.push(...encodingsOf(Buffer.from(plain, 'hex'), ' of its bytes').filter(([name]) => !name.startsWith('hex')));
  const percent = [encodeURIComponent(value), encodeURI(value)].filter((text) => text !== value);
  const quoted = JSON.stringify(value).slice(1, -1);
  if (quoted !== value) forms.push(['JSON', quoted, false]);
  return [...forms, ...percent.map((text): Form => ['percent', text, true])];
}

function encodingsOf(bytes: Buffer, of: string): Form[] {
  const inner = [0, 1, 2].flatMap((offset): Form[] => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const own = text.slice(offset === 0 ? 0 : BASE64_GROUP, -BASE64_GROUP);
    return [
      [`base64${of}`, own, false],
      [`base64url${of}`, own.replaceAll('+', '-').replaceAll('/', '_'), false],
    ];
  });
  return [[`hex${of}`, bytes.toString('hex'), true], ...inner];
}
