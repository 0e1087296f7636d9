import ts from 'typescript';

/**
 * Nest injects by the class that is the type of a constructor's parameter. Other types, and classes that are imported as
 * types, do not exist when the app runs, and its start fails.
 */
export const injectedClasses = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { unknown: 'Nest cannot inject this: import its class, and not as a type, or name a token by @Inject.' },
  },
  create(context) {
    const { program, getSymbolAtLocation } = context.sourceCode.parserServices;
    const isClass = (type) => {
      const symbol = type?.typeName && getSymbolAtLocation(type.typeName);
      if (!symbol || symbol.declarations.some(ts.isTypeOnlyImportDeclaration)) return false;
      const isImported = symbol.flags & ts.SymbolFlags.Alias;
      const { flags } = isImported ? program.getTypeChecker().getAliasedSymbol(symbol) : symbol;
      return (flags & ts.SymbolFlags.Class) !== 0;
    };
    const constructorOfDecorated =
      'ClassDeclaration[decorators.length>0] > ClassBody > MethodDefinition[kind="constructor"] > FunctionExpression';
    return {
      [constructorOfDecorated]({ params }) {
        for (const parameter of params) {
          const { typeAnnotation } = parameter.parameter ?? parameter;
          if (parameter.decorators.length === 0 && !isClass(typeAnnotation?.typeAnnotation))
            context.report({ node: parameter, messageId: 'unknown' });
        }
      },
    };
  },
};
