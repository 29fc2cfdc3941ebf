import type { ReceiptTexts } from './en.ts';

export const es: ReceiptTexts = {
  paidSubject: 'Recibo de {merchant}: pedido {order}',
  refundedSubject: 'Reembolso de {merchant}: pedido {order}',
  partSubject: 'Reembolso parcial de {merchant}: pedido {order}',
  testMark: 'PRUEBA',
  testText: 'Esto es una prueba. No se ha movido dinero real.',

  paidTitle: 'Pagado. ¡Gracias!',
  paidText: '{merchant} ha recibido su pago de {amount}.',
  refundedTitle: 'Su dinero ha sido devuelto',
  partTitle: 'Se ha devuelto una parte de su dinero',
  refundedText: '{merchant} ha devuelto {amount}.',

  order: 'Pedido',
  description: 'Descripción',
  total: 'Total',
  paid: 'Pagado',
  sentBack: 'Devuelto',
  sentBackSoFar: 'Devuelto hasta ahora',
  network: 'Red',
  time: 'Fecha y hora',
  sentTo: 'Enviado a',
  transaction: 'Transacción',
  payment: 'ID del pago',

  toPage: 'Ver este pago',
  contact: '¿Tiene preguntas sobre su pedido? Póngase en contacto con {merchant}.',
  automatic: 'Este mensaje se ha enviado automáticamente; las respuestas no se leen.',
};
