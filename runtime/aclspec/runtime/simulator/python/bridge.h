/* The parts of libaclspec_python.so. */
#ifndef ACLSPEC_BRIDGE_H
#define ACLSPEC_BRIDGE_H

#define PY_SSIZE_T_CLEAN /* lengths are Py_ssize_t */
#include <Python.h>

#include "core/python.h"

/* Start an interpreter as the recorded executable would: 0, or why not. */
int bridge_start_interpreter(char *why, size_t size);
/* The value of a parameter as Python's calls take it: a new reference, or NULL with an exception. */
PyObject *bridge_value(const sim_param *param, const sim_value *value, const sim_slot *slots, size_t count);
/* A tensor with the memory that it is in, and the same of each tensor of a parameter. */
PyObject *bridge_memory(const sim_param *param, const sim_slot *slots, size_t count);
/* The exception that is set, as "ValueError: ..." from malloc; it is cleared. */
char *bridge_exception(void);

#endif
