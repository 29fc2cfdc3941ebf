const STYLE = `
  body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 30rem; padding: 1.5rem; color: #1b1b1b; }
  h1 { font-size: 1.5rem; }
  .price { font-size: 1.3rem; font-weight: 600; }
  button, .button { background: #0a56c7; border: 0; border-radius: 0.5rem; box-sizing: border-box; color: #fff;
    cursor: pointer; display: block; font: inherit; padding: 0.8rem; text-align: center; text-decoration: none; width: 100%; }
  .note { background: #fff3d6; border-radius: 0.5rem; padding: 0.8rem; }
`;

const REFRESH = '<meta http-equiv="refresh" content="3">';

/** What the customer reads in each state of an order; `isOpen`: it may change soon. */
const STATES = {
  new: { title: 'Waiting for your payment', text: 'Nothing has arrived yet.', isOpen: true, canPay: true },
  underpaid: { title: 'A part is missing', text: 'Please pay the rest.', isOpen: true, canPay: true },
  seen: { title: 'Payment seen', text: 'We wait until the network has confirmed it.', isOpen: true },
  confirmed: { title: 'Payment confirmed', text: 'It is being completed.', isOpen: true },
  paid: { title: 'Thank you', text: 'Your order is paid.' },
  expired: { title: 'The time is over', text: 'The payment did not come in time. You can buy again.' },
  failed: { title: 'The payment failed', text: 'You can buy again.' },
  refunded: { title: 'Refunded', text: 'Your money was sent back, and the order is cancelled.' },
};

export function productPage(product, orderId) {
  return page(
    product.name,
    `<h1>${escape(product.name)}</h1>
    <p>${escape(product.description)}</p>
    <p class="price">${escape(product.price)} ${escape(product.currency)}</p>
    <form method="post" action="/buy">
      <input type="hidden" name="order" value="${escape(orderId)}">
      <button>Buy now</button>
    </form>`,
  );
}

export function orderPage(order) {
  const { title, text, isOpen = false, canPay = false } = STATES[order.state];
  return page(
    title,
    `<h1>${title}</h1>
    <p>${text}${order.hasParcel ? ' A parcel is on its way.' : ''}</p>
    ${order.note === null ? '' : `<p class="note">${escape(order.note)}</p>`}
    ${canPay && order.checkout_url !== null ? `<p><a class="button" href="${escape(order.checkout_url)}">Pay</a></p>` : ''}
    <p><a href="/">To the shop</a></p>`,
    isOpen ? REFRESH : '',
  );
}

export function messagePage(title, text) {
  return page(title, `<h1>${escape(title)}</h1><p>${escape(text)}</p><p><a href="/">To the shop</a></p>`);
}

function page(title, body, head = '') {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ${head}
    <title>${escape(title)}</title>
    <style>${STYLE}</style>
  </head>
  <body><main>${body}</main></body>
</html>`;
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text) {
  return String(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]);
}
