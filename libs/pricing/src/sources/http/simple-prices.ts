/** The answer of `/simple/price` about one id. The price is its digits as they were in the answer. */
export interface SimplePrice {
  readonly usdText: string;
  /** Unix seconds. */
  readonly updatedAtSeconds: number;
}

/** A string (kept) or a number (taken) of a JSON text. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * The answer of a CoinGecko-compatible `/simple/price?vs_currencies=usd&include_last_updated_at=true`:
 * `{"ethereum":{"usd":2412.07,"last_updated_at":1700000000}}`.
 *
 * `JSON.parse` would round a price to a double, so the text is read twice: as it is, which checks it, and with every
 * number quoted, which keeps its digits.
 */
export class SimplePrices {
  private constructor(
    private readonly values: Record<string, unknown>,
    private readonly texts: Record<string, unknown>,
  ) {}

  /** @returns undefined when the text is not a JSON object */
  static parse(body: string): SimplePrices | undefined {
    try {
      const values: unknown = JSON.parse(body);
      if (!isRecord(values)) return undefined;
      const quoted = body.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`));
      return new SimplePrices(values, JSON.parse(quoted) as Record<string, unknown>);
    } catch {
      return undefined;
    }
  }

  /** @returns undefined when the id is missing or its entry is not a price with a time */
  of(id: string): SimplePrice | undefined {
    const entry = ownEntry(this.values, id);
    const digits = ownEntry(this.texts, id);
    const updatedAtSeconds = entry?.['last_updated_at'];
    if (typeof entry?.['usd'] !== 'number' || !Number.isSafeInteger(updatedAtSeconds)) return undefined;
    return { usdText: String(digits?.['usd']), updatedAtSeconds: updatedAtSeconds as number };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownEntry(record: Record<string, unknown>, id: string): Record<string, unknown> | undefined {
  const entry = Object.hasOwn(record, id) ? record[id] : undefined;
  return isRecord(entry) ? entry : undefined;
}
