import { presentFeeQuote, type OfferedQuote } from '@paymaster/pricing';
import { integerLiteral, jsonText, type JsonText } from '../../json-rpc/json-text';
import type { FeeQuotes } from '../../../answers/quote-user-operation.service';

/** The ERC20-mode result of a quote (interface document, "ERC20-mode result"). */
export function presentFeeQuotes(quotes: FeeQuotes): JsonText {
  const { paymaster, validUntilSeconds, unsupported, unavailable } = quotes;
  const wireQuote = (quote: OfferedQuote) => {
    const feeQuote = presentFeeQuote(quote, { validUntilSeconds });
    return { ...feeQuote, exchangeRate: integerLiteral(feeQuote.exchangeRate) };
  };
  return jsonText({
    MODE: 'ERC20',
    mode: 'ERC20',
    paymasterAddress: paymaster,
    feeQuotes: quotes.quotes.map(wireQuote),
    unsupportedTokens: unsupported,
    ...(unavailable.length > 0 && {
      unavailableTokens: unavailable.map(({ token, reason }) => ({ tokenAddress: token, reason })),
    }),
  });
}
