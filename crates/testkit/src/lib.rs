//! What tests share: a fake clock, a failing store, temporary stores. Never part of the product.
