// The payment method in the checkout block.
(() => {
  const { createElement } = window.wp.element;
  const { decodeEntities } = window.wp.htmlEntities;
  const {
    title = '',
    description = '',
    supports = [],
  } = window.wc.wcSettings.getSetting('payment_checkout_data', {});
  const label = decodeEntities(title);
  const content = createElement('div', null, decodeEntities(description));

  window.wc.wcBlocksRegistry.registerPaymentMethod({
    name: 'payment_checkout',
    label,
    ariaLabel: label,
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: supports },
  });
})();
